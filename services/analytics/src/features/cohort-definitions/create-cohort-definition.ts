import { cohortDefinitionCreated, type cohortDefinitions, cohortLimits } from '@tandem/analytics-contract';
import { actingUserId } from '@tandem/caller';
import { fail } from '@tandem/service';
import { lockNamed } from '@tandem/tenant-db';
import type { Handler } from '../../handler.ts';
import { asCohort, countCohortJob, eventOf, nameError, nameKeyOf, toFilterColumn } from './cohort-definition.ts';

export const createCohortDefinition: Handler<typeof cohortDefinitions.createCohortDefinition> = async ({
  body,
  caller,
  tx,
  emit,
  schedule,
}) => {
  const { name, description, filter, static: isStatic } = body;
  await lockNamed(tx, 'cohorts');
  if ((await tx.cohortDefinition.count({})) >= cohortLimits.cohorts) throw fail('too_many_cohorts');
  const row = await tx.cohortDefinition
    .create({
      data: {
        ...{ name, nameKey: nameKeyOf(name), description: description ?? null, filter: toFilterColumn(filter) },
        ...{ isStatic, status: isStatic ? 'counting' : 'ready', createdBy: actingUserId(caller) ?? null },
      },
    })
    .catch((error: unknown) => {
      throw nameError(error);
    });
  if (isStatic) await schedule(countCohortJob, [{ cohortDefinitionId: row.id }]);
  emit(cohortDefinitionCreated, eventOf(row));
  return asCohort(row);
};
