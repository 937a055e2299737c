import type { Inside } from '@tandem/jobs';
import type { Tools, Tx } from '../../handler.ts';
import { failRun, type RunOfConfig, storeResult, writeRun } from './run.ts';

/** Plans the next attempt as that of a delivery to a webhook, or ends the run if there is none. */
export async function retryLater(
  inside: Pick<Inside<Tx>, 'tx' | 'emit'>,
  { schedules }: Pick<Tools, 'schedules'>,
  run: RunOfConfig,
  { error, retryAt }: { error: string; retryAt: Date | undefined },
): Promise<Date | undefined> {
  const attempts = run.attempts + 1;
  const next = schedules.next(run.environment, attempts, retryAt);
  if (!next) return void (await failRun(inside, run, error));
  await storeResult(inside.tx, run.configId, error);
  const startedAt = run.startedAt ?? new Date();
  await writeRun(inside.tx, run, { status: 'waiting', attempts, error, nextAttemptAt: next, startedAt });
  return next;
}
