import type { quotas } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { createQuota } from './create-quota.ts';
import { deleteQuota } from './delete-quota.ts';
import { getQuota } from './get-quota.ts';
import { listForecastSubmissions } from './list-forecast-submissions.ts';
import { listQuotas } from './list-quotas.ts';
import { submitForecast } from './submit-forecast.ts';
import { updateQuota } from './update-quota.ts';

export const quotaHandlers = (peers: Peers) =>
  ({
    createQuota: createQuota(peers),
    listQuotas,
    getQuota,
    updateQuota: updateQuota(peers),
    deleteQuota: deleteQuota(peers),
    submitForecast: submitForecast(peers),
    listForecastSubmissions: listForecastSubmissions(peers),
  }) satisfies Handlers<typeof quotas, Tx>;
