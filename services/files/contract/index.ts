// What files offers.
export const files = {};
