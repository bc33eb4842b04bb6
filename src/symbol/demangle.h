/* demangle.h: C++ names as people write them. */
#ifndef SN_SYMBOL_DEMANGLE_H
#define SN_SYMBOL_DEMANGLE_H

/* "_ZN1a1bEv" -> "a::b()"; anything that is no mangled name is copied. malloc. */
char *sn_demangle(const char *name);

#endif
