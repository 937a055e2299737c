import { type ParseResult, parse } from 'libpg-query';

/** A statement as parsed by PostgreSQL's own parser. */
export type StatementNode = NonNullable<NonNullable<ParseResult['stmts']>[number]['stmt']>;

/** One statement of an SQL file. */
export interface Statement {
  text: string;
  node: StatementNode;
  /** The comments directly before it. */
  comment: string;
}

/**
 * Splits an SQL file into its statements with PostgreSQL's parser.
 * @throws with PostgreSQL's message for invalid SQL
 */
export async function readStatements(sql: string): Promise<Statement[]> {
  const bytes = Buffer.from(sql);
  const { stmts = [] } = await parse(sql);
  let before = 0;
  return stmts.flatMap(({ stmt, stmt_location: from = 0, stmt_len: length }) => {
    if (!stmt) return [];
    // Positions are in bytes. The parser skips comments before the first statement, and includes them in later ones.
    const end = length ? from + length : bytes.length;
    const whole = bytes
      .subarray(before, end)
      .toString()
      .replace(/^;?\s*/, '');
    before = end;
    const comment = /^(?:\s*--[^\n]*(?:\n|$))*/.exec(whole)?.[0] ?? '';
    return [{ text: whole.slice(comment.length).trim().replace(/;$/, ''), node: stmt, comment: comment.trim() }];
  });
}

/** Whether a statement builds or drops an index concurrently, without blocking reads or writes. */
export function isConcurrentIndex({ node }: Statement): boolean {
  if ('IndexStmt' in node) return node.IndexStmt.concurrent === true;
  return 'DropStmt' in node && node.DropStmt.removeType === 'OBJECT_INDEX' && node.DropStmt.concurrent === true;
}

/** The names of all tables in a part of a statement; `schema.table` outside of the schema `public`. */
export function tablesIn(node: unknown): Set<string> {
  const names = new Set<string>();
  collect(node, names);
  return names;
}

function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (isRelation(key, value)) names.add(tableName(value));
    collect(value, names);
  }
}

interface RangeVar {
  schemaname?: string;
  relname: string;
}

/** A table is a `RangeVar` in a list, and under a key such as `relation`, `pktable` or `table` elsewhere. */
function isRelation(key: string, value: unknown): value is RangeVar {
  if (!['RangeVar', 'relation', 'pktable', 'table'].includes(key)) return false;
  return typeof (value as { relname?: unknown } | null)?.relname === 'string';
}

/** The name of a table, in the format that the other functions use. */
export function tableName({ schemaname, relname }: RangeVar): string {
  return schemaname && schemaname !== 'public' ? `${schemaname}.${relname}` : relname;
}
