import type { cohortDefinitions } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCohort } from './cohort-definition.ts';

export const getCohortDefinition: Handler<typeof cohortDefinitions.getCohortDefinition> = async ({
  params: { id },
  tx,
}) => {
  const row = await tx.cohortDefinition.findFirst({ where: { id } });
  if (!row) throw fail('not_found');
  return asCohort(row);
};
