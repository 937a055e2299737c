/** A name of the document's components: `CreateLead` of `createLead`, `lead.created` is `LeadCreated`. */
export function pascal(text: string): string {
  const words = text.split(/[ ._-]/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
