/** Converts a name to PascalCase: `createLead` to `CreateLead`, `lead.created` to `LeadCreated`. */
export function pascal(text: string): string {
  const words = text.split(/[ ._-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
