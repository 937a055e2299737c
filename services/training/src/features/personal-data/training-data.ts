import type { PersonalData } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { eraseAnswers } from './erase-answers.ts';
import { eraseCertificates } from './erase-certificates.ts';
import { eraseOutcomes } from './erase-outcomes.ts';
import { readTrainingData } from './read-training-data.ts';
import { withdrawErased } from './withdraw-erased.ts';

/**
 * The data of a person who is a learner. Enrolments, progress and scores stay with the number of the lead, so that the
 * statistics of courses stay as they are.
 */
export const trainingData = (tools: Pick<Tools, 'publicUrl'>): PersonalData<Tx> => ({
  async erase(inside) {
    const withdrawn = await withdrawErased(inside);
    // In a transaction of its own: what follows locks enrolments again, in another order.
    if (withdrawn) return { withdrawnEnrollments: withdrawn };
    return {
      ...(await eraseAnswers(inside)),
      certificates: await eraseCertificates(inside),
      enrollmentRuleOutcomes: await eraseOutcomes(inside),
    };
  },
  read: ({ tx, person }) => readTrainingData(tools, tx, person),
});
