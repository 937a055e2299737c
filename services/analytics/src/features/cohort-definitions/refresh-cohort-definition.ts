import { cohortDefinitionRefreshed, type cohortDefinitions } from '@tandem/analytics-contract';
import { fail } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCohort, countCohortJob, eventOf, lockCohort } from './cohort-definition.ts';

export const refreshCohortDefinition: Handler<typeof cohortDefinitions.refreshCohortDefinition> = async ({
  params: { id },
  tx,
  emit,
  schedule,
  ifMatch,
}) => {
  const cohort = asCohort(await lockCohort(tx, id));
  ifMatch(cohort);
  if (!cohort.static) throw fail('not_static');
  if (!cohort.allowedTransitions.includes('counting')) throw fail('wrong_status');
  const [row] = await tx.cohortDefinition.updateManyAndReturn({
    where: { id },
    data: { status: 'counting', errorCode: null, errorMessage: null, version: { increment: 1 } },
  });
  await schedule(countCohortJob, [{ cohortDefinitionId: id }]);
  emit(cohortDefinitionRefreshed, eventOf(cohort));
  return asCohort(row as NonNullable<typeof row>);
};
