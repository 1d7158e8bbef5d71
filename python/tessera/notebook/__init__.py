"""What notebooks use: how arrays are shown, magics, kernels with settings of their own."""
