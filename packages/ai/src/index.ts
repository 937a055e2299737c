// Generates text and structures with a chat-completion provider, or from deterministic templates when there is none.
export { type Ai, createAi, type SchemaTask, type Source, type Task } from './ai.ts';
export { SchemaError } from './schema-error.ts';
export { type AiSettings, aiSettings } from './settings.ts';
