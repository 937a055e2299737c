import type { RecordKind } from '../../connectors/sync.ts';
import type { Target } from './target.ts';
import { accountTarget } from './targets/account.ts';
import { activityTarget } from './targets/activity.ts';
import { calendarEventTarget } from './targets/calendar-event.ts';
import { leadTarget } from './targets/lead.ts';
import { mailTarget } from './targets/mail.ts';
import { opportunityTarget } from './targets/opportunity.ts';

const targets: { [Kind in RecordKind]: Target<Kind> } = {
  account: accountTarget,
  lead: leadTarget,
  opportunity: opportunityTarget,
  calendar_event: calendarEventTarget,
  mail: mailTarget,
  activity: activityTarget,
};

/** The target of a kind of records. */
export function targetOf<Kind extends RecordKind>(kind: Kind): Target<Kind> {
  return targets[kind] as unknown as Target<Kind>;
}

/** The permissions that writing these kinds of records needs. */
export function permissionsOf(kinds: readonly RecordKind[]): string[] {
  return [...new Set(kinds.flatMap((kind) => [...targetOf(kind).permissions]))];
}
