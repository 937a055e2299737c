import type { CalendarTools } from '../calendar/tools.ts';

/**
 * The names of the active hosts of a booking link, by id. None if identity does not answer: people can book without them.
 * Outside of a transaction only.
 */
export async function readHostNames(
  { identity, log }: Pick<CalendarTools, 'identity' | 'log'>,
  { tenantId, environment, requestId }: { tenantId: number; environment: 'live' | 'sandbox'; requestId: string },
  hostIds: readonly number[],
): Promise<Map<number, string>> {
  const body = { userIds: [...hostIds], teamIds: [] };
  try {
    const hosts = await identity.findAssignees({ body, as: { tenantId, environment, requestId } });
    return new Map(hosts.flatMap(({ id, name }) => (name ? [[id, name]] : [])));
  } catch (error) {
    log.warn('The hosts of a booking are not named', { tenantId, error });
    return new Map();
  }
}

/** The names of these hosts, in their order; those that are not known are left out. */
export function namesOf(names: ReadonlyMap<number, string>, hostIds: readonly number[]): string[] {
  return hostIds.flatMap((id) => names.get(id) ?? []);
}
