import type { Handlers } from '@tandem/service';
import type { internalNames } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { nameCourses } from './name-courses.ts';

export const nameHandlers = { nameCourses } satisfies Handlers<typeof internalNames, Tx>;
