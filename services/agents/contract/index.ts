// What agents offers.
export const agents = {};
