import { executions, recommendations } from '@tandem/agents-contract';
import { recordPagesHandler } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { executionsPage } from '../executions/list-executions.ts';
import { recommendationsPage } from '../recommendations/list-recommendations.ts';

// The service that exports a page asks crm itself which of its leads the caller can read: these lists would limit the leads of
// the latest records only.
const allExecutions: Handler<typeof executions.listExecutions> = ({ query, ...context }) =>
  executionsPage(context, query, undefined);
const allRecommendations: Handler<typeof recommendations.listRecommendations> = ({ query, ...context }) =>
  recommendationsPage(context, query, undefined);

/** The lists of agents that other services export. */
export const readRecordPage = recordPagesHandler([
  { row: executions.listExecutions, handler: allExecutions },
  { row: recommendations.listRecommendations, handler: allRecommendations },
]);
