import type { ConsumerContext } from '@tandem/events';
import type { Tx } from '../../handler.ts';
import { lockFeeds } from './feed.ts';
import { type Notice, notify } from './notify.ts';

/** The parts of an event that notices need. */
interface Cause {
  environment: 'live' | 'sandbox';
  caller: { userId?: number | undefined; onBehalfOf?: number | undefined };
}

/** A notice about an event. */
export interface EventNotice {
  event: Cause;
  notice: Omit<Notice, 'environment'>;
}

/** The user who caused an event, and is not notified of it. */
export function actorOf({ caller }: Cause): number | undefined {
  return caller.onBehalfOf ?? caller.userId;
}

/** Sends the notices about several events. All feeds are locked first, in one order, so that consumers cannot deadlock. */
export async function noticesOf(
  { tx, emit }: Pick<ConsumerContext<Tx>, 'tx' | 'emit'>,
  notices: readonly EventNotice[],
): Promise<void> {
  const userIds = [...new Set(notices.flatMap(({ notice }) => notice.userIds))];
  if (!userIds.length) return;
  await lockFeeds(tx, userIds);
  for (const { event, notice } of notices) await notify(tx, emit, { ...notice, environment: event.environment });
}
