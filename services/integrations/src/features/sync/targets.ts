import type { RecordKind } from '../../connectors/sync.ts';
import type { Target } from './target.ts';
import { calendarEventTarget } from './targets/calendar-event.ts';

const targets: { [Kind in RecordKind]?: Target<Kind> } = {
  calendar_event: calendarEventTarget,
};

/** The target of a kind of records. */
export function targetOf<Kind extends RecordKind>(kind: Kind): Target<Kind> {
  return targets[kind] as unknown as Target<Kind>;
}

/** The permissions that writing these kinds of records needs. */
export function permissionsOf(kinds: readonly RecordKind[]): string[] {
  return [...new Set(kinds.flatMap((kind) => [...targetOf(kind).permissions]))];
}
