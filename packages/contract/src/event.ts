import type { z } from 'zod';
import type { ResourceType } from './id.ts';

/**
 * Something that happened to a resource. `data` is what customers receive by webhook, `record` the whole resource for
 * readers inside the fleet. `group` puts the event into the public webhook catalogue; without it the event is internal.
 */
export interface EventDef<
  Name extends string = string,
  Data extends z.ZodType = z.ZodType,
  Rec extends z.ZodType = z.ZodType,
> {
  name: Name;
  group?: string;
  /**
   * The permission to read the record of a catalogued event, such as `leads:read`: who lacks it, or has it for some of the
   * records only, is shown no data of the event, and none is sent on their behalf.
   */
  readPermission?: `${string}:${string}`;
  description: string;
  /** What the audit log calls it: `lead.update`. */
  action: string;
  /** The resource it happened to; its id is `record.id`. */
  target: ResourceType;
  /** False for telemetry: events of high volume that record an observation instead of a change get no audit entry. */
  audited?: false;
  /** `failure` when the event reports an attempt that was refused; the audit log shows it as the outcome. */
  outcome?: 'failure';
  data: Data;
  record: Rec;
  /** An example of `data` as a customer sees it; the catalogue and webhook tests show it. */
  example?: z.input<Data>;
  /**
   * Values, in wire form, of fields that events of an earlier release lack. Needed for every new field that is required and
   * cannot be null; a missing field that may be null is read as null.
   */
  whenMissing?: { data?: Partial<z.input<Data>>; record?: Partial<z.input<Rec>> };
}

/** What a handler passes to `emit` as data. */
export type EventData<E extends EventDef> = z.output<E['data']>;
/** What a handler passes to `emit` as record. */
export type EventRecord<E extends EventDef> = z.output<E['record']>;

/**
 * Declares an event.
 * @throws when the name is not `<resource>.<what_happened>`, or a catalogued event has no example or no permission.
 */
export function event<const Name extends string, Data extends z.ZodType, Rec extends z.ZodType>(
  name: Name,
  def: Omit<EventDef<Name, Data, Rec>, 'name'>,
): EventDef<Name, Data, Rec> {
  if (!/^[a-z_]+(\.[a-z_]+)+$/.test(name)) throw new Error(`An event is named <resource>.<what_happened>, not ${name}`);
  if (def.group && def.example === undefined) throw new Error(`The catalogued event ${name} needs an example`);
  if (def.group && !def.readPermission) throw new Error(`The catalogued event ${name} needs a readPermission`);
  return { name, ...def };
}
