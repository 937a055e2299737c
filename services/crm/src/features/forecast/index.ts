import type { forecast } from '@tandem/crm-contract';
import type { Handlers } from '@tandem/service';
import type { Peers, Tx } from '../../handler.ts';
import { getForecast } from './get-forecast.ts';
import { getOpportunitySummary } from './get-opportunity-summary.ts';

export const forecastHandlers = (peers: Peers) =>
  ({
    getOpportunitySummary: getOpportunitySummary(peers),
    getForecast: getForecast(peers),
  }) satisfies Handlers<typeof forecast, Tx>;
