/** A scalar field of a model and the column that holds it. */
export interface Field {
  name: string;
  column: string;
  type: string;
  isList: boolean;
  /** Whether it says when the record was changed, by itself. */
  isUpdatedAt: boolean;
}

/** A model as its table is. */
export interface Model {
  name: string;
  table: string;
  fields: ReadonlyMap<string, Field>;
  /** Whether every column has a type that the driver reads and writes as Prisma does. */
  isPlain: boolean;
}

const plainTypes = new Set(['Int', 'String', 'Float', 'Boolean', 'DateTime', 'Json', 'Bytes']);
// Made by Prisma, not by the database; and dates without a zone, which the driver reads in its own.
const notPlain = /@default\((uuid|cuid|ulid|nanoid)\(|@db\.(Date|Time|Timestamp)\b/;

/** Reads the models of a Prisma schema: those of the generated client, where ids are numbers. */
export function readModels(schemaText: string): Model[] {
  const blocks = [...schemaText.matchAll(/^model\s+(\w+)\s*\{([\s\S]*?)^\}/gm)].map(([, name, body]) => ({
    name: name as string,
    body: body as string,
  }));
  const names = new Set(blocks.map(({ name }) => name));
  return blocks.map(({ name, body }) => {
    const lines = body
      .split('\n')
      .map((line) => /^\s*(\w+)\s+(\w+)(\[\])?\??(.*)$/.exec(line))
      .filter((line) => line && !names.has(line[2] as string) && !/@ignore\b/.test(line[4] as string));
    const fields = lines.map((line): Field => {
      const [, field, type, list, rest] = line as unknown as [string, string, string, string | undefined, string];
      const column = /@map\("([^"]+)"\)/.exec(rest)?.[1] ?? field;
      return { name: field, column, type, isList: list !== undefined, isUpdatedAt: /@updatedAt\b/.test(rest) };
    });
    return {
      name,
      table: /@@map\("([^"]+)"\)/.exec(body)?.[1] ?? name,
      fields: new Map(fields.map((field) => [field.name, field])),
      isPlain:
        fields.every(({ type }) => plainTypes.has(type)) && !lines.some((line) => notPlain.test(line?.[4] ?? '')),
    };
  });
}
