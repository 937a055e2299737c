import { type cohortDefinitions, cohortDefinitionUpdated } from '@tandem/analytics-contract';
import { diff } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { asCohort, eventOf, lockCohort, nameError, nameKeyOf, toFilterColumn } from './cohort-definition.ts';

export const updateCohortDefinition: Handler<typeof cohortDefinitions.updateCohortDefinition> = async ({
  params: { id },
  body,
  tx,
  emit,
  ifMatch,
}) => {
  const cohort = asCohort(await lockCohort(tx, id));
  ifMatch(cohort);
  const { isEmpty, values, audit } = diff(cohort, body);
  if (isEmpty) return cohort;
  const { name, filter, ...fields } = values;
  const [row] = await tx.cohortDefinition
    .updateManyAndReturn({
      where: { id },
      data: {
        ...fields,
        ...(name !== undefined && { name, nameKey: nameKeyOf(name) }),
        ...(filter && { filter: toFilterColumn(filter) }),
        version: { increment: 1 },
      },
    })
    .catch((error: unknown) => {
      throw nameError(error);
    });
  const updated = asCohort(row as NonNullable<typeof row>);
  emit(cohortDefinitionUpdated, { ...eventOf(updated), changes: audit });
  return updated;
};
