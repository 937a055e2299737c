import { readMigrations } from './migration-files.ts';
import { kindOf } from './runner.ts';
import { findServices } from './services.ts';
import { readStatements, type Statement, tableName, tablesIn } from './statements.ts';

/** A statement that must not run on a table that has rows and is in use. */
interface Rule {
  name: string;
  /** What it would do to a running system, and what to write instead. */
  advice: string;
  /** Whether the statement breaks the rule. `isNew` tells whether the same file creates the table. */
  isBroken(statement: Statement, isNew: (table: string) => boolean): boolean;
}

// Functions with one value for the whole statement: PostgreSQL keeps it in the catalogue instead of rewriting the table.
const stableFunctions = new Set(['now', 'transaction_timestamp', 'statement_timestamp', 'tenant_id', 'environment']);

const rules: readonly Rule[] = [
  {
    name: 'index',
    advice:
      'building an index blocks writes until it is done: put CREATE INDEX CONCURRENTLY IF NOT EXISTS into a migration of its own',
    isBroken: ({ node }, isNew) =>
      'IndexStmt' in node &&
      !isNew(tableOf(node.IndexStmt.relation)) &&
      !(node.IndexStmt.concurrent && node.IndexStmt.if_not_exists),
  },
  {
    name: 'drop-index',
    advice: 'DROP INDEX waits for every query and blocks those behind it: use DROP INDEX CONCURRENTLY IF EXISTS',
    isBroken: ({ node }) =>
      'DropStmt' in node &&
      node.DropStmt.removeType === 'OBJECT_INDEX' &&
      !(node.DropStmt.concurrent && node.DropStmt.missing_ok),
  },
  {
    name: 'column-rewrite',
    advice:
      'a stored generated column, an identity or a volatile default rewrites the table under an exclusive lock: add an empty column, fill it by a backfill, then set the default',
    isBroken: (statement, isNew) => addedColumns(statement, isNew).some(rewritesTable),
  },
  {
    name: 'column-required',
    advice: 'NOT NULL without a default fails for the rows that exist: add a default, or fill the column first',
    isBroken: (statement, isNew) =>
      addedColumns(statement, isNew).some((column) => has(column, 'CONSTR_NOTNULL') && !has(column, 'CONSTR_DEFAULT')),
  },
  {
    name: 'column-type',
    advice:
      'changing a type rewrites the table and breaks the release before: add a new column, fill it by a backfill, and drop the old one a release later',
    isBroken: (statement, isNew) => commands(statement, isNew).some(({ subtype }) => subtype === 'AT_AlterColumnType'),
  },
  {
    name: 'set-not-null',
    advice:
      'SET NOT NULL reads the whole table under an exclusive lock: add CHECK (column IS NOT NULL) NOT VALID, validate it in the next migration, then set NOT NULL',
    isBroken: (statement, isNew) => commands(statement, isNew).some(({ subtype }) => subtype === 'AT_SetNotNull'),
  },
  {
    name: 'constraint',
    advice:
      'a new constraint reads the whole table under a lock: add foreign keys and checks NOT VALID and validate them in the next migration; build a unique index CONCURRENTLY and add the constraint USING INDEX',
    isBroken: (statement, isNew) => commands(statement, isNew).some(checksAllRows),
  },
  {
    name: 'rename',
    advice:
      'the release before still uses the old name: add the new one beside it, and drop the old one a release later',
    isBroken: ({ node }, isNew) =>
      'RenameStmt' in node &&
      ['OBJECT_TABLE', 'OBJECT_COLUMN'].includes(node.RenameStmt.renameType as string) &&
      !isNew(tableOf(node.RenameStmt.relation)),
  },
  {
    name: 'data',
    advice:
      'row-level security hides every row from the owner of the tables, and a long change keeps its locks: put the statement into a file that begins with "-- backfill", with a LIMIT on the rows it changes',
    isBroken: ({ node, comment }, isNew) => {
      if (!('UpdateStmt' in node || 'DeleteStmt' in node || 'InsertStmt' in node)) return false;
      return !/^-- backfill\b/.test(comment) && [...tablesIn(node)].some((table) => !isNew(table));
    },
  },
  {
    name: 'backfill-limit',
    advice: 'a backfill changes a limited number of rows at a time: select them by a subquery with LIMIT',
    isBroken: ({ text, comment }) => /^-- backfill\b/.test(comment) && !/\bLIMIT\s+\d+/i.test(text),
  },
];

/**
 * Finds what a migration must not do to a system that is running: rewriting a table, holding long locks, changing data that
 * row-level security hides, or breaking the release before. A comment `-- allow <rule>: <reason>` before a statement permits it.
 * @param sql with the names of roles filled in
 * @returns one message for each finding, with what to do instead
 */
export async function checkMigration(sql: string): Promise<string[]> {
  const statements = await readStatements(sql);
  const isNew = (table: string) => created.has(table);
  const created = new Set(
    statements.flatMap(({ node }) => ('CreateStmt' in node ? [tableOf(node.CreateStmt.relation)] : [])),
  );
  const findings = statements.flatMap((statement) => {
    const broken = rules.filter((rule) => rule.isBroken(statement, isNew) && !isAllowed(rule, statement));
    return broken.map(({ name, advice }) => `${firstLine(statement.text)} (${name}): ${advice}`);
  });
  findings.push(...validatedTooEarly(statements));
  try {
    kindOf(statements);
  } catch (error) {
    findings.push((error as Error).message);
  }
  return findings;
}

function isAllowed({ name }: Rule, { comment }: Statement): boolean {
  return new RegExp(`^-- allow ${name}: \\S`, 'm').test(comment);
}

function firstLine(text: string): string {
  return (text.split('\n')[0] as string).slice(0, 100);
}

type AlterCommand = { subtype?: string; def?: object };
type Column = { constraints?: object[] };

/** What an ALTER TABLE does to a table that existed before. */
function commands({ node }: Statement, isNew: (table: string) => boolean): AlterCommand[] {
  if (!('AlterTableStmt' in node) || node.AlterTableStmt.objtype !== 'OBJECT_TABLE') return [];
  if (isNew(tableOf(node.AlterTableStmt.relation))) return [];
  return (node.AlterTableStmt.cmds ?? []).flatMap((one) => ('AlterTableCmd' in one ? [one.AlterTableCmd] : []));
}

function addedColumns(statement: Statement, isNew: (table: string) => boolean): Column[] {
  return commands(statement, isNew).flatMap(({ subtype, def }) =>
    subtype === 'AT_AddColumn' && def && 'ColumnDef' in def ? [def.ColumnDef as Column] : [],
  );
}

function constraints({ constraints = [] }: Column): { contype?: string; raw_expr?: object; generated_kind?: string }[] {
  return constraints.flatMap((one) => ('Constraint' in one ? [one.Constraint as object] : []));
}

function has(column: Column, contype: string): boolean {
  return constraints(column).some((constraint) => constraint.contype === contype);
}

function rewritesTable(column: Column): boolean {
  return constraints(column).some(
    ({ contype, raw_expr: value, generated_kind: kind }) =>
      contype === 'CONSTR_IDENTITY' ||
      (contype === 'CONSTR_GENERATED' && kind !== 'v') ||
      (contype === 'CONSTR_DEFAULT' && functionsIn(value).some((name) => !stableFunctions.has(name))),
  );
}

function functionsIn(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const inside = functionsIn(value);
    if (key !== 'FuncCall') return inside;
    const names = (value as { funcname?: { String?: { sval?: string } }[] }).funcname ?? [];
    return [names.at(-1)?.String?.sval ?? '', ...inside];
  });
}

function checksAllRows({ subtype, def }: AlterCommand): boolean {
  if (subtype === 'AT_AddColumn' && def && 'ColumnDef' in def) {
    const column = def.ColumnDef as Column;
    return ['CONSTR_UNIQUE', 'CONSTR_PRIMARY', 'CONSTR_CHECK'].some((contype) => has(column, contype));
  }
  if (subtype !== 'AT_AddConstraint' || !def || !('Constraint' in def)) return false;
  const {
    contype,
    skip_validation: isNotValid,
    indexname,
  } = def.Constraint as {
    contype?: string;
    skip_validation?: boolean;
    indexname?: string;
  };
  if (contype === 'CONSTR_FOREIGN' || contype === 'CONSTR_CHECK') return !isNotValid;
  return !indexname;
}

/** A constraint that is validated in the transaction that adds it is checked under that transaction's lock. */
function validatedTooEarly(statements: readonly Statement[]): string[] {
  const all = statements.flatMap((statement) => commands(statement, () => false));
  const adds = all.some(({ subtype }) => subtype === 'AT_AddConstraint');
  const validates = all.some(({ subtype }) => subtype === 'AT_ValidateConstraint');
  return adds && validates ? ['VALIDATE CONSTRAINT belongs into the migration after the one that adds it'] : [];
}

function tableOf(relation: object | undefined): string {
  return relation && 'relname' in relation ? tableName(relation as { relname: string }) : '';
}

/** Applied before this check existed, to databases with few rows. A file that was applied cannot be changed. */
const acceptedFiles = new Set([
  'services/crm/prisma/migrations/20261121034500_purge/migration.sql',
  'services/crm/prisma/migrations/20261121042300_match_keys/migration.sql',
  'services/crm/prisma/migrations/20261121101728_paired/migration.sql',
  'services/crm/prisma/migrations/20261122004548_give_records_a_team/migration.sql',
  'services/crm/prisma/migrations/20261122014400_duplicate_keys/migration.sql',
  'services/crm/prisma/migrations/20261122014500_mark_paired_leads/migration.sql',
  'services/files/prisma/migrations/20261122004549_give_files_a_team/migration.sql',
  'services/identity/prisma/migrations/20261121113500_user_states/migration.sql',
  'services/identity/prisma/migrations/20261121125432_portal_sessions/migration.sql',
  'services/integrations/prisma/migrations/20261121100456_retention/migration.sql',
  'services/partner/prisma/migrations/20261122015910_ledger_constraints/migration.sql',
  'services/search/prisma/migrations/20261121160000_purge/migration.sql',
]);

/** Checks every migration of the workspace. Each finding names its file. */
export async function checkMigrations(root: string): Promise<string[]> {
  const perService = await Promise.all(findServices(root).map((service) => readMigrations(root, service)));
  // The migrations of our packages are the same for every service.
  const files = new Map(perService.flat().map((migration) => [migration.file, migration.sql]));
  const checked = [...files].filter(([file]) => !acceptedFiles.has(file));
  const findings = await Promise.all(
    checked.map(async ([file, sql]) => (await checkMigration(sql)).map((finding) => `${file}: ${finding}`)),
  );
  return findings.flat();
}
