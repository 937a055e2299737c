// Makes what the services' schemas need before a service can run: generated clients, databases with their roles, migrations.
export { generateClients } from './generate.ts';
export { migrate } from './migrate.ts';
export { createMigration } from './migration.ts';
export { checkMigrations } from './migration-check.ts';
export { roleName, type ServiceDatabase, serviceDatabase } from './roles.ts';
export { findServices, type ServiceSource } from './services.ts';
export { cloneDatabase, testDatabases } from './template.ts';
