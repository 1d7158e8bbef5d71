#error "asynchronous copies (cuda/pipeline) are not on the cores: copy by assignment, and meet at __syncthreads()"
