# Drops what ties a textual LLVM module to one CPU, so that its functions inline into code for any, and to the folder it was made in.
file(READ ${text} ir)
foreach(attribute target-cpu target-features tune-cpu min-legal-vector-width stack-protector-buffer-size frame-pointer)
  string(REGEX REPLACE " \"${attribute}\"=\"[^\"]*\"" "" ir "${ir}")
endforeach()
string(REGEX REPLACE "source_filename = \"[^\"]*/" "source_filename = \"" ir "${ir}")
file(WRITE ${text} "${ir}")
