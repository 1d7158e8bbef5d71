# Writes a file's bytes as the C arrays `symbol` and `symbol`_size.
file(READ ${input} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR size "${digits} / 2")
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
file(WRITE ${output}
  "extern const unsigned char ${symbol}[];\nextern const unsigned long ${symbol}_size;\n"
  "alignas(16) const unsigned char ${symbol}[] = {\n${hex}};\nconst unsigned long ${symbol}_size = ${size};\n")
