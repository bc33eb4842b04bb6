/* tell.h: from a prediction in a window to a struct sn_predicted that outlives the window. */
#ifndef SN_PREDICT_TELL_H
#define SN_PREDICT_TELL_H

#include "predict/predict.h"

#define SN_TELL_STEPS 40 /* more than a screen of timeline helps nobody */

/* Everything in *out is malloc'ed. */
void sn_tell(const struct sn_window *w, uint64_t window, const struct sn_prediction *p,
             struct sn_predicted *out);
void sn_told_free(struct sn_predicted *p);

#endif
