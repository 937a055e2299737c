import type { cohortDefinitions } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { asCohort } from './cohort-definition.ts';

export const listCohortDefinitions: Handler<typeof cohortDefinitions.listCohortDefinitions> = async ({ tx, list }) => {
  const page = await list({ model: tx.cohortDefinition, where: {} });
  return { ...page, items: page.items.map(asCohort) };
};
