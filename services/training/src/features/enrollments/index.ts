import type { Handlers } from '@tandem/service';
import type { enrollments } from '@tandem/training-contract';
import type { Peers, Tx } from '../../handler.ts';
import { createEnrollment } from './create-enrollment.ts';
import { listEnrollments } from './list-enrollments.ts';
import { withdrawEnrollment } from './withdraw-enrollment.ts';

export const enrollmentHandlers = (peers: Peers) =>
  ({ createEnrollment: createEnrollment(peers), listEnrollments, withdrawEnrollment }) satisfies Handlers<
    typeof enrollments,
    Tx
  >;
