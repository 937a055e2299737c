/** Colors and fonts of messages, for inline styles. */
export const mailStyle = {
  colors: {
    page: '#f4f5f7',
    card: '#ffffff',
    text: '#1f2430',
    faint: '#667085',
    accent: '#2f55d4',
    line: '#e4e7ec',
  },
  font: "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif",
  // Names and addresses can be longer than a line; the first property is for Outlook, an alias of the second one elsewhere.
  breakWords: 'word-wrap:break-word;overflow-wrap:anywhere',
} as const;
