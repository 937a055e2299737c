import type { Caller } from '@tandem/caller';
import { reachOf } from '@tandem/service';
import { nameOf, type Tx } from '../../handler.ts';
import type { UsageRange } from './usage-series.ts';

const groupsMax = 100;

interface Options extends UsageRange {
  tenantId: number;
  by: 'key' | 'route' | 'user';
  caller: Caller;
}

interface Group {
  keyId: number;
  route: string;
  userId: number;
  calls: number;
}

/**
 * The calls of a range by key, route or user: the largest groups, then the rest, to which calls above the gateways'
 * bound belong too.
 */
export async function breakdownOf(tx: Tx, options: Options) {
  const groups = await readGroups(tx, options);
  const all = groups.reduce((sum, { calls }) => sum + calls, 0);
  const isKnown = ({ keyId, route }: Group) => keyId > 0 || route !== '';
  const shown = groups.filter(isKnown).slice(0, groupsMax);
  const rest = all - shown.reduce((sum, { calls }) => sum + calls, 0);
  const nameOfGroup = await namesOf(tx, shown, options);
  const percent = (calls: number) => Math.round((calls / all) * 10_000) / 100;
  const { by } = options;
  return [
    ...shown.map((group) => ({
      keyId: by === 'key' ? group.keyId : null,
      route: by === 'route' ? group.route : null,
      userId: by === 'user' ? group.userId : null,
      name: nameOfGroup(group),
      calls: group.calls,
      percent: percent(group.calls),
    })),
    ...(rest ? [{ keyId: null, route: null, userId: null, name: null, calls: rest, percent: percent(rest) }] : []),
  ];
}

/** All groups, the most calls first; calls above the bound of a gateway have neither key nor route. */
function readGroups(tx: Tx, { tenantId, from, to, by }: Options): Promise<Group[]> {
  return tx.sql<Group>`
    SELECT CASE WHEN ${by} = 'route' THEN 0 ELSE min(key_id) END AS "keyId",
      CASE WHEN ${by} = 'route' THEN min(operation) ELSE '' END AS route, min(user_id) AS "userId",
      sum(calls)::float8 AS calls
    FROM usage_hour WHERE owner_tenant_id = ${tenantId} AND hour >= ${from} AND hour < ${to}
    GROUP BY CASE WHEN ${by} = 'key' THEN key_id WHEN ${by} = 'user' THEN user_id END,
      CASE WHEN ${by} = 'route' THEN operation END
    ORDER BY calls DESC, 1, 2, 3`;
}

/** Names keys and users for callers who may read all of them. */
async function namesOf(tx: Tx, groups: Group[], { by, caller }: Options): Promise<(group: Group) => string | null> {
  if (by === 'route') return ({ route }) => route;
  const may = reachOf(caller, by === 'key' ? 'api_keys:read' : 'users:read') === 'all';
  if (!may) return () => null;
  if (by === 'key') {
    const ids = groups.map(({ keyId }) => keyId);
    const rows = await tx.apiKey.findMany({ where: { id: { in: ids } }, select: { id: true, name: true } });
    const names = new Map(rows.map(({ id, name }) => [id, name]));
    return ({ keyId }) => names.get(keyId) ?? null;
  }
  const where = { id: { in: groups.map(({ userId }) => userId) } };
  const rows = await tx.user.findMany({ where, select: { id: true, firstName: true, lastName: true } });
  const names = new Map(rows.map((row) => [row.id, nameOf(row)]));
  return ({ userId }) => names.get(userId) ?? null;
}
