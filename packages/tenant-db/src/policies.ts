/**
 * Second isolation layer: generates the SQL that enables forced row-level security on every tenant table of a Prisma
 * schema. A table with a tenant column is a tenant table; with an environment column, live and sandbox are isolated
 * too.
 * @param schemaText a schema.prisma
 * @param only the tables to cover, all when absent
 */
export function tenantPolicies(schemaText: string, only?: readonly string[]): string {
  return tenantTables(schemaText)
    .filter(({ table }) => !only || only.includes(table))
    .map(({ table, hasEnvironment }) => {
      const rule = `tenant_id = platform.tenant_id()${hasEnvironment ? ' AND environment = platform.environment()' : ''}`;
      return [
        `ALTER TABLE "${table}" ENABLE ROW LEVEL SECURITY;`,
        `ALTER TABLE "${table}" FORCE ROW LEVEL SECURITY;`,
        `CREATE POLICY tenant ON "${table}" USING (${rule});`,
      ].join('\n');
    })
    .join('\n\n');
}

/** The tenant tables of a schema, by their names in the database. */
export function tenantTables(schemaText: string): { table: string; hasEnvironment: boolean }[] {
  return [...schemaText.matchAll(/^model\s+(\w+)\s*\{([\s\S]*?)^\}/gm)]
    .filter(([, , body]) => /^\s*tenantId\s/m.test(body as string))
    .map(([, model, body]) => ({
      table: /@@map\("([^"]+)"\)/.exec(body as string)?.[1] ?? (model as string),
      hasEnvironment: /^\s*environment\s.*platform\.environment\(\)/m.test(body as string),
    }));
}
