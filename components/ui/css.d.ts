import "react";

/** Custom properties in `style`, for geometry that a stylesheet cannot know. */
declare module "react" {
  interface CSSProperties {
    [property: `--${string}`]: string | number | undefined;
  }
}
