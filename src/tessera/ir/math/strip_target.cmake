# Drops what ties a textual LLVM module to one CPU, so that its functions inline into code for any.
file(READ ${text} ir)
foreach(attribute target-cpu target-features tune-cpu min-legal-vector-width stack-protector-buffer-size frame-pointer)
  string(REGEX REPLACE " \"${attribute}\"=\"[^\"]*\"" "" ir "${ir}")
endforeach()
file(WRITE ${text} "${ir}")
