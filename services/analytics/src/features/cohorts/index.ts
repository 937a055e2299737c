import type { cohorts } from '@tandem/analytics-contract';
import type { Handlers } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { getCohorts } from './get-cohorts.ts';

export const cohortHandlers = (tools: Tools) =>
  ({ getCohorts: getCohorts(tools) }) satisfies Handlers<typeof cohorts, Tx>;
