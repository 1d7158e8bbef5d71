#error "tensor cores (wmma) are not on the cores: write the product as a loop, or use matmul of tessera.numpy"
