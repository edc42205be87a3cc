// SPDX-License-Identifier: MIT
//
// The one place where stb_image_write's code is compiled.
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
