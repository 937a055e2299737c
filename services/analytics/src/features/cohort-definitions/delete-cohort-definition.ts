import { cohortDefinitionDeleted, type cohortDefinitions } from '@tandem/analytics-contract';
import type { Handler } from '../../handler.ts';
import { eventOf, lockCohort, removeCohortMembersJob } from './cohort-definition.ts';

export const deleteCohortDefinition: Handler<typeof cohortDefinitions.deleteCohortDefinition> = async ({
  params: { id },
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const cohort = await lockCohort(tx, id);
  ifMatch(cohort);
  await tx.cohortDefinition.deleteMany({ where: { id } });
  if (cohort.isStatic) await schedule(removeCohortMembersJob, [{ cohortDefinitionId: id }]);
  emit(cohortDefinitionDeleted, eventOf(cohort));
  return { id, deleted: true };
};
