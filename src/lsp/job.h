/*
 * job.h: work of the server in a process group of its own: the server goes on reading, and when the
 * work is not wanted any more the whole group is ended. A job sees everything as it was when it
 * began, and sends one JSON value.
 */
#ifndef SN_LSP_JOB_H
#define SN_LSP_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct sn_job {
    pid_t pid;    /* 0: none */
    int fd;       /* its result */
    char *folder; /* its temporary files; removed by the server, since it may have been killed */
    char *uri;    /* the document that it is about */
    char *text;   /* of the result, so far */
    size_t n, cap;
};

typedef json_t *sn_job_fn(void *arg, const char *folder);

/* Calls fn in the new process. 0 or -errno. */
int sn_job_start(struct sn_job *j, const char *uri, sn_job_fn *fn, void *arg);
/* Reads what is there. True: it has ended. */
bool sn_job_read(struct sn_job *j);
/* The result, null when there is none. Ends the job. */
json_t *sn_job_finish(struct sn_job *j);
void sn_job_cancel(struct sn_job *j);

#endif
