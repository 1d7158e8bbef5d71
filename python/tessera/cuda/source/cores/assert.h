// assert: like C's header this one is read again by each #include, as NDEBUG may have changed.
#undef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __tessera_fail(#condition, __FILE__, __LINE__))
#endif
