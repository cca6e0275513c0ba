"""Facts about shapes, strides, element types and modes: functions of integers, which know no tensor."""
