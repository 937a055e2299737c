import type { cohortDefinitions } from '@tandem/analytics-contract';
import type { Handlers } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { createCohortDefinition } from './create-cohort-definition.ts';
import { deleteCohortDefinition } from './delete-cohort-definition.ts';
import { getCohortDefinition } from './get-cohort-definition.ts';
import { listCohortDefinitions } from './list-cohort-definitions.ts';
import { refreshCohortDefinition } from './refresh-cohort-definition.ts';
import { updateCohortDefinition } from './update-cohort-definition.ts';

export const cohortDefinitionHandlers = {
  createCohortDefinition,
  listCohortDefinitions,
  getCohortDefinition,
  updateCohortDefinition,
  refreshCohortDefinition,
  deleteCohortDefinition,
} satisfies Handlers<typeof cohortDefinitions, Tx>;
