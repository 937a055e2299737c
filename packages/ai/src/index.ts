// Generates text and structures with a chat-completion provider, or from deterministic templates when there is none.
export {};
