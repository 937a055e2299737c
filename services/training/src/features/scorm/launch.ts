import type { Readable } from 'node:stream';
import type { Caller } from '@tandem/caller';
import { ServiceCallError } from '@tandem/client/internal';
import { asService, fail, failField } from '@tandem/service';
import { type ScormLaunch, scormLaunchSeconds } from '@tandem/training-contract';
import type { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { beginAttempt } from '../attempts/begin-attempt.ts';
import { isLive } from '../enrollments/enrollment.ts';
import type { Advancing } from '../progress/advance.ts';
import { type Learning, rejectEnded, rejectLocked } from '../progress/learning.ts';
import { canImprove } from './can-improve.ts';
import { packageOfLesson } from './stored-package.ts';

/** The package of a lesson, and whether its file still has that content, as its current version or an earlier one. */
export interface FoundPackage {
  packageId: number | undefined;
  isAvailable: boolean;
}

/** Finds the package that a launch plays. Not inside a transaction. */
export async function findPackage(
  { peers }: Pick<Tools, 'peers'>,
  { tx, caller }: { tx: Tx; caller: Caller },
  lessonId: number,
): Promise<FoundPackage> {
  const found = await packageOfLesson(tx, lessonId);
  if (!found) return { packageId: undefined, isAvailable: false };
  const isAvailable = await peers.files
    .readFilePart({
      params: { id: found.fileId },
      query: { start: 0, length: 1, checksum: found.checksumSha256 },
      as: asService(caller),
    })
    .then(({ body }) => {
      (body as Readable).resume();
      return true;
    })
    .catch((error: unknown) => {
      if (error instanceof ServiceCallError && (error.status === 404 || error.status === 409)) return false;
      throw error;
    });
  return { packageId: found.id, isAvailable };
}

/** Launches the package of a lesson in a locked enrolment. Earlier launches can record nothing more. */
export async function launch(
  { scormLinks, player }: Pick<Tools, 'scormLinks' | 'player'>,
  inside: Advancing & { caller: Caller },
  { learning, found }: { learning: Learning; found: FoundPackage },
): Promise<z.output<typeof ScormLaunch>> {
  const { enrollmentId, lessonId, lessonType, progress } = learning;
  if (lessonType !== 'scorm' || found.packageId === undefined)
    throw failField('lessonId', `A lesson of the type ${lessonType} is not launched; read it instead`);
  rejectEnded(learning, { butCompleted: true });
  rejectLocked(learning);
  if (!found.isAvailable) throw fail('package_unavailable');
  const { tenantId, environment } = inside.caller;
  const expiresAt = new Date(Date.now() + scormLaunchSeconds * 1_000);
  const common = { tenantId: tenantId as number, environment, enrollmentId, lessonId, packageId: found.packageId };
  const urlOf = (session: number | undefined) =>
    `${player.url}/learn/${scormLinks.issue({ ...common, session }, expiresAt)}`;
  // A lesson that is completed, or whose enrolment is, can be looked at again.
  if (!isLive(learning) || (progress?.status === 'completed' && !canImprove(learning)))
    return { url: urlOf(undefined), expiresAt, attemptId: null };
  const { attempt } = await beginAttempt(inside, learning, { isLaunch: true });
  const [state] = await inside.tx.sql<{ session: number }>`
    INSERT INTO scorm_state AS state (enrollment_id, lesson_id, attempt_id, package_id, session)
    VALUES (${enrollmentId}, ${lessonId}, ${attempt.id}, ${found.packageId}, 1)
    ON CONFLICT (tenant_id, environment, enrollment_id, lesson_id) DO UPDATE
      SET session = state.session + 1, sequence = 0, attempt_id = excluded.attempt_id, package_id = excluded.package_id,
        updated_at = now(), runtime = CASE WHEN state.attempt_id = excluded.attempt_id
          AND coalesce(state.package_id, excluded.package_id) = excluded.package_id THEN state.runtime END
    RETURNING session`;
  return { url: urlOf(state?.session), expiresAt, attemptId: attempt.id };
}
