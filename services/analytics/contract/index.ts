// What analytics offers.
export const analytics = {};
