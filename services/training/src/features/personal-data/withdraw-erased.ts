import type { Erasing } from '@tandem/service';
import type { Tx } from '../../handler.ts';
import { endLive } from '../enrollments/end-live.ts';
import { lockLive } from '../learners-left/lock-live.ts';

/** Withdraws the person from running courses, so that nothing more is recorded in them. */
export async function withdrawErased(inside: Erasing<Tx>): Promise<number> {
  const live = await lockLive(inside.tx, { learnerType: 'lead', learnerId: { in: inside.person.leadIds } });
  for (const row of live) await endLive(inside, row, 'withdrawn', 'erased');
  return live.length;
}
