// Checks of mappings of connectors that act on events.
import { type Definition, type FieldError, type SchemaNode, unwrap } from '@tandem/contract';
import { dataSchemasOf } from '../../catalogue.ts';
import type { FieldMapping } from '../../connectors/calling.ts';

/** Fields of every event besides those of its data. */
const common = ['id', 'type', 'createdAt', 'data.sequence'];
const shownMax = 40;
const shownLevelsMax = 4;

/**
 * The errors of mappings: fields that none of the events has, and names that are written twice.
 * @param patterns the events that the config acts on
 */
export function eventMappingErrors(mappings: readonly FieldMapping[], patterns: readonly string[]): FieldError[] {
  const schemas = dataSchemasOf(patterns);
  const isField = (from: string) => {
    const [first, ...path] = from.split('.');
    return common.includes(from) || (first === 'data' && schemas.some((schema) => hasField(schema, path)));
  };
  return mappings.flatMap(({ from, to }, index) => {
    const errors: FieldError[] = [];
    if (!isField(from)) errors.push({ field: `fieldMappings.${index}.from`, message: fromMessage(schemas) });
    const before = mappings
      .slice(0, index)
      .find((other) => isSameOrWithin(other.to, to) || isSameOrWithin(to, other.to));
    if (before)
      errors.push({
        field: `fieldMappings.${index}.to`,
        message: `Must be another field than ${before.to} of an earlier mapping, not one inside it or around it`,
      });
    return errors;
  });
}

function isSameOrWithin(path: string, parent: string): boolean {
  return path === parent || path.startsWith(`${parent}.`);
}

/** Whether values of a schema can have a field. Free-form parts can have any. */
function hasField(schema: SchemaNode | undefined, path: readonly string[]): boolean {
  const [name, ...rest] = path;
  if (!schema) return false;
  if (name === undefined) return true;
  const def = unwrap(schema)._zod.def as Definition;
  switch (def.type) {
    case 'object':
      return hasField(Object.hasOwn(def.shape ?? {}, name) ? def.shape?.[name] : def.catchall, rest);
    case 'record':
      return hasField(def.valueType, rest);
    case 'array':
      return /^\d+$/.test(name) && hasField(def.element, rest);
    case 'union':
      return (def.options ?? []).some((option) => hasField(option, path));
    case 'intersection':
      return hasField(def.left, path) || hasField(def.right, path);
    // Events are sent as they are encoded.
    case 'pipe':
      return hasField(def.in, path);
    default:
      return def.type === 'unknown' || def.type === 'any';
  }
}

function fromMessage(schemas: readonly SchemaNode[]): string {
  const fields = new Set([...common, ...schemas.flatMap((schema) => fieldsIn(schema, ['data']))]);
  return fields.size > shownMax
    ? `Must be ${common.join(', ')}, or a field of the data of one of the events such as data.email; GET /v1/integrations/webhooks/catalog shows them`
    : `Must be one of ${[...fields].join(', ')}`;
}

/** The paths of the fields of a schema; a part without declared fields is one field. */
function fieldsIn(schema: SchemaNode, path: readonly string[]): string[] {
  const { type, shape = {}, options = [], left, right } = unwrap(schema)._zod.def as Definition;
  if (type === 'object' && path.length <= shownLevelsMax)
    return Object.entries(shape).flatMap(([name, field]) => fieldsIn(field, [...path, name]));
  if (type === 'union') return options.flatMap((option) => fieldsIn(option, path));
  if (type === 'intersection') return [left, right].flatMap((side) => (side ? fieldsIn(side, path) : []));
  return [type === 'record' ? `${path.join('.')}.<name>` : path.join('.')];
}
