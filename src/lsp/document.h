/*
 * document.h: the files that are open in the editor, as they are there: saved or not. A document is
 * known by its URI; its path is the file of that URI, canonical where it exists.
 *
 * Ownership: a set owns its documents; pointers into it are valid until the next open or close.
 */
#ifndef SN_LSP_DOCUMENT_H
#define SN_LSP_DOCUMENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct sn_document {
    char *uri, *path, *language;
    char *text;
    size_t n;
    int64_t version;
    bool dirty; /* differs from what is on disk, as far as is known */
    struct timespec changed;
    bool shares;      /* was checked together with other units */
    double due_s;     /* when it is to be checked; 0: not */
    json_t *findings; /* of the last check that worked: array, or null */
};

/* A file whose text in the editor was not that on disk, until it was closed. */
struct sn_discarded {
    char *path;
    struct timespec when;
};

struct sn_documents {
    struct sn_document *d;
    size_t n, cap;
    struct sn_discarded *gone;
    size_t ngone, cap_gone;
};

/* Path of a file URI (malloc); for other schemes a path that no file has. */
char *sn_uri_path(const char *uri);
char *sn_path_uri(const char *path);

struct sn_document *sn_document_find(struct sn_documents *all, const char *uri);
struct sn_document *sn_document_by_path(struct sn_documents *all, const char *path);
/* Opens it, or takes the new text when it is open. */
struct sn_document *sn_document_open(struct sn_documents *all, const char *uri,
                                     const char *language, int64_t version, const char *text,
                                     size_t n);
/* One entry of contentChanges. False: it makes no sense, and nothing has changed. */
bool sn_document_change(struct sn_document *d, const json_t *change);
void sn_document_close(struct sn_documents *all, struct sn_document *d);
void sn_documents_free(struct sn_documents *all);
/* Whether it is compiled by itself, unlike a header. */
bool sn_document_is_unit(const struct sn_document *d);
/* The text of a file as an editor shows it: the open one, else from disk. malloc; null: not there.
 */
char *sn_documents_text(struct sn_documents *all, const char *path, size_t *n);

#endif
