import type { opportunities } from '@tandem/crm-contract';
import type { Handler } from '../../handler.ts';
import { readOpportunity } from './opportunity.ts';

export const getOpportunity: Handler<typeof opportunities.getOpportunity> = ({ params, tx }) =>
  readOpportunity(tx, params.id);
