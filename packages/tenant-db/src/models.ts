/** A scalar field of a model and the column that holds it. */
export interface Field {
  name: string;
  column: string;
  type: ScalarType;
  isList: boolean;
  isNullable: boolean;
  /** Whether Prisma sets it to the current time with each change. */
  isUpdatedAt: boolean;
}

export type ScalarType = 'Int' | 'String' | 'Float' | 'Boolean' | 'DateTime' | 'Json' | 'Bytes';

/** A relation to at most one record: the columns here and those over there that they equal. */
export interface Relation {
  target: string;
  columns: readonly string[];
  references: readonly string[];
}

/** A model as its table is. */
export interface Model {
  name: string;
  table: string;
  fields: ReadonlyMap<string, Field>;
  /** Relations whose columns are in this table. */
  relations: ReadonlyMap<string, Relation>;
  /** The indexes that begin with the scope, keys included. */
  indexes: readonly Index[];
  /** Whether every column has a type that the driver reads and writes as Prisma does. */
  isPlain: boolean;
}

/** An index of a table, by the fields of its model. */
export interface Index {
  fields: readonly string[];
  isUnique: boolean;
  /** Of an index of some rows only: the field that is null, or is not, in all of them. */
  where?: { field: string; isNull: boolean };
}

const scalarTypes = new Set<string>(['Int', 'String', 'Float', 'Boolean', 'DateTime', 'Json', 'Bytes']);
// Made by Prisma, not by the database; and dates without a zone, which the driver reads in its own.
const notPlain = /@default\((uuid|cuid|ulid|nanoid)\(|@db\.(Date|Time|Timestamp)\b/;

interface Line {
  name: string;
  type: string;
  isList: boolean;
  isNullable: boolean;
  attributes: string;
}

/**
 * Reads the models of the Prisma schema that a client was generated from, where ids are numbers.
 * @throws when there is none: without it every query would go through Prisma, at several times the cost
 */
export function readModels(schemaText: string): ReadonlyMap<string, Model> {
  const blocks = [...schemaText.matchAll(/^model\s+(\w+)\s*\{([\s\S]*?)^\}/gm)].map(([, name, body]) => ({
    name: name as string,
    body: body as string,
    lines: linesOf(body as string),
  }));
  if (!blocks.length) throw new Error('The Prisma client does not hold the schema it was generated from');
  const linesOfModels = new Map(blocks.map(({ name, lines }) => [name, lines]));
  return new Map(
    blocks.map(({ name, body, lines }): [string, Model] => {
      const scalars = lines.filter(({ type }) => !linesOfModels.has(type));
      const fields = new Map(scalars.map((line) => [line.name, fieldOf(line)]));
      const relations = lines.flatMap((line): [string, Relation][] => {
        const relation = relationOf(line, fields, linesOfModels.get(line.type));
        return relation ? [[line.name, relation]] : [];
      });
      const isPlain = scalars.every(({ type, attributes }) => scalarTypes.has(type) && !notPlain.test(attributes));
      const table = mapped(body, '@@map') ?? name;
      return [
        name,
        { name, table, fields, relations: new Map(relations), indexes: indexesOf(body, [...fields.values()]), isPlain },
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

/** The relation that a line declares with `fields` and `references`; undefined for scalars and for the other side of one. */
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

/** The indexes that a model declares and that start with the tenant. Conditions other than `IS [NOT] NULL` leave one out. */
function indexesOf(body: string, fields: Field[]): Index[] {
  return [...body.matchAll(/^\s*@@(id|unique|index)\(\[([^\]]*)\](.*)\)/gm)].flatMap(([, kind, list, more = '']) => {
    const names = (list as string).split(',').map((name) => name.trim());
    const index = { fields: names, isUnique: kind !== 'index' };
    if (names[0] !== 'tenantId') return [];
    if (!more.includes('where:')) return [index];
    const [, column, not] = /where: raw\("(\w+) IS (NOT )?NULL"\)/.exec(more) ?? [];
    const field = fields.find((one) => one.column === column);
    return field ? [{ ...index, where: { field: field.name, isNull: not === undefined } }] : [];
  });
}

function mapped(text: string, attribute: '@map' | '@@map'): string | undefined {
  return new RegExp(`${attribute}\\("([^"]+)"\\)`).exec(text)?.[1];
}
