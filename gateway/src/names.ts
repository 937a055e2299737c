import { type Caller, callerHeader } from '@tandem/caller';
import {
  type IdPath,
  isIdUnion,
  namesMax,
  namesPath,
  type Operation,
  type Operations,
  type ResourceType,
  resourceNoun,
  unionMember,
  type Warning,
} from '@tandem/contract';
import { compileTextRewriter } from '@tandem/ids';
import { traceparentOf } from '@tandem/process';
import type { Exchange } from './exchange.ts';
import { GatewayError } from './http/gateway-error.ts';
import type { GatewayParts } from './parts.ts';
import type { Route } from './routes.ts';
import type { Upstream } from './upstream/upstream.ts';

/** An entry of `included` in a response. */
interface Included {
  type: ResourceType;
  name: string;
}

/** The names for a response, by public id, and what could not be named. */
export interface Names {
  included: Record<string, Included>;
  warnings: Warning[];
}

const lookUpMs = 2_000;
const includesMax = 20;

/** The service that names the records of each type. */
export function nameSources(services: Record<string, Operations>): Map<ResourceType, string> {
  const sources = Object.entries(services).flatMap(([service, operations]) =>
    Object.values(operations)
      .filter(({ path }: Operation) => path === namesPath)
      .flatMap(({ body }: Operation) => Object.keys(body?.shape ?? {}).map((type) => [type, service] as const)),
  );
  return new Map(sources as [ResourceType, string][]);
}

/**
 * Takes `include=assignedTo,lead` from a query.
 * @returns the query without it, and the positions of the ids to name; undefined if the request does not include names
 * @throws GatewayError 422 for a name that the operation does not have
 */
export function takeIncludes({ includes }: Route, search: string): { search: string; include?: IdPath[] } {
  // Avoids parsing the query of requests without `include`, which are most.
  if (includes.size === 0 || !search.includes('include=')) return { search };
  const query = new URLSearchParams(search);
  const wanted = query.get('include');
  if (wanted === null) return { search };
  query.delete('include');
  const names = [...new Set(wanted.split(',').filter(Boolean))];
  const unknown = names.filter((name) => !includes.has(name));
  if (unknown.length || names.length > includesMax) {
    const message = `Must be names from ${[...includes.keys()].join(', ')}, separated by commas`;
    throw new GatewayError('validation_failed', { errors: [{ field: 'include', message }] });
  }
  const rest = query.size ? `?${query}` : '';
  return { search: rest, include: names.flatMap((name) => includes.get(name) as IdPath[]) };
}

/**
 * Names the records that a response refers to, by one call to each service that owns some of them, all at once. Each
 * service answers with the records that the caller may read. If a service does not answer in time, its names are left
 * out with a warning.
 * @param body the response of the service, with internal ids
 */
export async function namesFor(
  { exchange, caller, include, body }: { exchange: Exchange; caller: Caller; include: IdPath[]; body: Buffer },
  parts: GatewayParts,
): Promise<Names> {
  const wanted = idsIn(body, include);
  const warnings: Warning[] = [];
  const byService = new Map<string, Record<string, string[]>>();
  for (const [type, found] of wanted) {
    const service = parts.nameSources.get(type);
    if (!service) continue;
    if (found.size > namesMax) warnings.push(unnamed([type], `only the first ${namesMax} are named`));
    byService.set(service, { ...byService.get(service), [type]: [...found].slice(0, namesMax) });
  }
  const included: Names['included'] = {};
  const lookUps = [...byService].map(async ([service, wantedIds]) => {
    const types = Object.keys(wantedIds) as ResourceType[];
    const named = await lookUp(service, wantedIds, { exchange, caller }, parts).catch((error: unknown) => {
      parts.log.warn('names are unavailable', { error, service, requestId: exchange.requestId });
      return undefined;
    });
    if (!named) return void warnings.push(unnamed(types, 'the service is temporarily unavailable'));
    for (const type of types)
      for (const { id, name } of named[type] ?? [])
        included[parts.ids.encode(type, caller.tenantId as number, Number(id))] = { type, name };
  });
  await Promise.all(lookUps);
  return { included, warnings };
}

/** Adds names to the text of a response, whose envelope ends with `meta`. */
export function withNames(response: string, { included, warnings }: Names): string {
  const metaAt = response.lastIndexOf('"meta":{');
  const meta = JSON.parse(response.slice(metaAt + '"meta":'.length, -1)) as { warnings?: Warning[] };
  const all = [...(meta.warnings ?? []), ...warnings];
  const end = JSON.stringify(all.length ? { ...meta, warnings: all } : meta);
  return `${response.slice(0, metaAt)}"included":${JSON.stringify(included)},"meta":${end}}`;
}

/** The ids at some positions, by the type of their record, in order of their occurrence. */
function idsIn(body: Buffer, include: IdPath[]): Map<ResourceType, Set<string>> {
  const found = new Map<ResourceType, Set<string>>();
  const positions = include.map(({ path, type }) => ({ path: ['data', ...path], type }));
  compileTextRewriter(positions)(body.toString('utf8'), (kind, value) => {
    const record = isIdUnion(kind) ? unionMember(kind, Number(value)) : { type: kind, id: value };
    if (record) found.set(record.type, (found.get(record.type) ?? new Set()).add(String(record.id)));
    return value;
  });
  return found;
}

type Named = Partial<Record<string, { id: string; name: string }[]>>;

async function lookUp(
  service: string,
  wanted: Record<string, string[]>,
  { exchange, caller }: { exchange: Exchange; caller: Caller },
  { upstreams, signer }: GatewayParts,
): Promise<Named> {
  // The gateway calls with the permissions of the caller, so the service reads only what the caller may read.
  const as: Caller = { ...caller, type: 'system', name: 'gateway' };
  const response = await (upstreams.get(service) as Upstream).send({
    method: 'POST',
    path: namesPath,
    headers: {
      [callerHeader]: signer.sign(as, 'POST', namesPath),
      'x-request-id': exchange.requestId,
      traceparent: traceparentOf(exchange.trace),
      'content-type': 'application/json',
    },
    body: JSON.stringify(wanted),
    timeoutMs: lookUpMs,
    tenantId: caller.tenantId,
    repeatable: true,
  });
  if (response.status !== 200) throw new Error(`${service} responded with status ${response.status}`);
  return (JSON.parse(response.body.toString()) as { data: Named }).data;
}

function unnamed(types: readonly ResourceType[], why: string): Warning {
  const nouns = types.map(resourceNoun).join(', ');
  return { code: 'names_missing', field: 'include', message: `Names are missing (${nouns}): ${why}` };
}
