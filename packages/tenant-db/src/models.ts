/** A scalar field of a model and the column that holds it. */
export interface Field {
  name: string;
  column: string;
  type: ScalarType;
  isList: boolean;
  isNullable: boolean;
  /** Whether Prisma sets it to the current time with each update. */
  isUpdatedAt: boolean;
}

export type ScalarType = 'Int' | 'String' | 'Float' | 'Boolean' | 'DateTime' | 'Json' | 'Bytes';

/** A relation to at most one record: the columns of this table and the columns that they reference. */
export interface Relation {
  target: string;
  columns: readonly string[];
  references: readonly string[];
}

/** A relation to any number of records: the foreign key is in their table. */
export interface ToMany extends Relation {
  /** Indexes of the other table. */
  indexes: readonly Index[];
}

/** A model and its table. */
export interface Model {
  name: string;
  table: string;
  fields: ReadonlyMap<string, Field>;
  /** Relations whose foreign key is in this table. */
  relations: ReadonlyMap<string, Relation>;
  /** Relations whose foreign key is in the other table. */
  toMany: ReadonlyMap<string, ToMany>;
  /** Indexes and keys that begin with the scope columns. */
  indexes: readonly Index[];
  /** Whether the driver reads and writes every column type as Prisma does. */
  isPlain: boolean;
}

/** An index of a table, by the fields of its model. */
export interface Index {
  fields: readonly string[];
  isUnique: boolean;
  /** For a partial index: the fields that must be null, or not null. */
  where?: readonly Presence[];
}

/** A field that must be null, or not null. */
export interface Presence {
  field: string;
  isNull: boolean;
}

const scalarTypes = new Set<string>(['Int', 'String', 'Float', 'Boolean', 'DateTime', 'Json', 'Bytes']);
// Values that Prisma generates, not the database; and types without a time zone, which the driver reads in its own
// zone.
const notPlain = /@default\((uuid|cuid|ulid|nanoid)\(|@db\.(Date|Time|Timestamp)\b/;

interface Line {
  name: string;
  type: string;
  isList: boolean;
  isNullable: boolean;
  attributes: string;
}

/**
 * Parses the models of the Prisma schema that a client was generated from, with ids as numbers.
 * @throws when there is none: without it every query would go through Prisma, at several times the cost
 */
export function readModels(schemaText: string): ReadonlyMap<string, Model> {
  const blocks = [...schemaText.matchAll(/^model\s+(\w+)\s*\{([\s\S]*?)^\}/gm)].map(([, name, body]) => ({
    name: name as string,
    body: body as string,
    lines: linesOf(body as string),
  }));
  if (!blocks.length) throw new Error('The Prisma client does not contain the schema it was generated from');
  const linesOfModels = new Map(blocks.map(({ name, lines }) => [name, lines]));
  const fieldsOf = (lines: Line[]) =>
    new Map(lines.filter(({ type }) => !linesOfModels.has(type)).map((line) => [line.name, fieldOf(line)]));
  return new Map(
    blocks.map(({ name, body, lines }): [string, Model] => {
      const scalars = lines.filter(({ type }) => !linesOfModels.has(type));
      const fields = fieldsOf(lines);
      const relations = lines.flatMap((line): [string, Relation][] => {
        const relation = relationOf(line, fields, linesOfModels.get(line.type));
        return relation ? [[line.name, relation]] : [];
      });
      const toMany = lines.flatMap((line): [string, ToMany][] => {
        const other = blocks.find((block) => block.name === line.type);
        const opposite = line.isList ? other?.lines.find((one) => isOpposite(one, name, line)) : undefined;
        const relation = other && opposite && relationOf(opposite, fieldsOf(other.lines), lines);
        if (!relation) return [];
        const indexes = indexesOf(other.body, [...fieldsOf(other.lines).values()]);
        return [
          [line.name, { target: line.type, columns: relation.references, references: relation.columns, indexes }],
        ];
      });
      const isPlain = scalars.every(({ type, attributes }) => scalarTypes.has(type) && !notPlain.test(attributes));
      const table = mapped(body, '@@map') ?? name;
      return [
        name,
        {
          name,
          table,
          fields,
          relations: new Map(relations),
          toMany: new Map(toMany),
          indexes: indexesOf(body, [...fields.values()]),
          isPlain,
        },
      ];
    }),
  );
}

function linesOf(body: string): Line[] {
  return body.split('\n').flatMap((text) => {
    const [, name, type, list, optional, attributes = ''] = /^\s*(\w+)\s+(\w+)(\[\])?(\?)?(.*)$/.exec(text) ?? [];
    if (!name || !type || /@ignore\b/.test(attributes)) return [];
    return [{ name, type, isList: list !== undefined, isNullable: optional !== undefined, attributes }];
  });
}

function fieldOf({ name, type, isList, isNullable, attributes }: Line): Field {
  return {
    name,
    column: mapped(attributes, '@map') ?? name,
    type: type as ScalarType,
    isList,
    isNullable,
    isUpdatedAt: /@updatedAt\b/.test(attributes),
  };
}

/**
 * The relation that a line declares with `fields` and `references`; undefined for scalars and for the opposite side.
 */
function relationOf(
  { type, attributes }: Line,
  fields: ReadonlyMap<string, Field>,
  target: Line[] | undefined,
): Relation | undefined {
  const names = (word: string) =>
    new RegExp(`\\b${word}:\\s*\\[([^\\]]*)\\]`)
      .exec(attributes)?.[1]
      ?.split(',')
      .map((name) => name.trim());
  const own = names('fields');
  const theirs = names('references');
  if (!target || !own || !theirs) return undefined;
  const columnThere = (name: string) => fieldOf(target.find((line) => line.name === name) as Line).column;
  return {
    target: type,
    columns: own.map((name) => (fields.get(name) as Field).column),
    references: theirs.map(columnThere),
  };
}

/** Whether a line of another model is the side with the foreign key of the relation that `line` of `model` declares. */
function isOpposite({ type, attributes }: Line, model: string, line: Line): boolean {
  const nameIn = (text: string) => /@relation\("([^"]+)"/.exec(text)?.[1];
  return type === model && attributes.includes('fields:') && nameIn(attributes) === nameIn(line.attributes);
}

/**
 * The indexes of a model that start with the tenant. Indexes with predicates other than `IS [NOT] NULL`, joined by AND, are
 * ignored.
 */
function indexesOf(body: string, fields: Field[]): Index[] {
  return [...body.matchAll(/^\s*@@(id|unique|index)\(\[([^\]]*)\](.*)\)/gm)].flatMap(([, kind, list, more = '']) => {
    const names = (list as string).split(',').map((name) => name.trim());
    const index = { fields: names, isUnique: kind !== 'index' };
    if (names[0] !== 'tenantId') return [];
    if (!more.includes('where:')) return [index];
    const predicate = /where: raw\("([^"]*)"\)/.exec(more)?.[1] ?? '';
    const where = predicate.split(' AND ').map((text) => presenceOf(text, fields));
    return where.every((one) => one !== undefined) ? [{ ...index, where }] : [];
  });
}

function presenceOf(text: string, fields: Field[]): Presence | undefined {
  const [, column, not] = /^(\w+) IS (NOT )?NULL$/.exec(text) ?? [];
  const field = fields.find((one) => one.column === column);
  return field && { field: field.name, isNull: not === undefined };
}

function mapped(text: string, attribute: '@map' | '@@map'): string | undefined {
  return new RegExp(`${attribute}\\("([^"]+)"\\)`).exec(text)?.[1];
}
