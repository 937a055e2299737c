import type { LeadPrediction, predictions } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { z } from 'zod';
import type { Handler, Peers } from '../../handler.ts';
import { readActiveModel } from './models.ts';
import { predict } from './predict.ts';
import { readProfiles } from './profiles.ts';
import { visibleLeads } from './visible-leads.ts';

type Prediction = z.output<typeof LeadPrediction>;

export const getLeadPrediction = (peers: Peers): Handler<typeof predictions.getLeadPrediction, Prediction> => ({
  async check({ params, query, caller, tx }) {
    const now = new Date();
    const [profile] = await readProfiles(tx, await visibleLeads(peers, [params.leadId], caller), now);
    if (!profile) throw fail('not_found');
    return predict(await readActiveModel(tx, query.model ?? 'conversion'), profile, now);
  },
  run: ({ found }) => found,
});
