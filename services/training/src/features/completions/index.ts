import type { Handlers } from '@tandem/service';
import type { internalCompletions } from '@tandem/training-contract';
import type { Tx } from '../../handler.ts';
import { findCourses } from './find-courses.ts';
import { findPartnerCompletions } from './find-partner-completions.ts';

export const completionHandlers = { findCourses, findPartnerCompletions } satisfies Handlers<
  typeof internalCompletions,
  Tx
>;
